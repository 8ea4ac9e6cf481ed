"""What the tests of packages share."""

import subprocess


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} ended with {result.returncode}: {result.stdout}")
    return result.stdout
