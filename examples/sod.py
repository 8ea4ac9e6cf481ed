#!/usr/bin/env python3
"""Sod's shock tube for examples/sod.yaml: makes the gas, and compares it with the exact solution.

    sod.py make N > sod.csv            gas on a line, N bodies where it is dense, N/8 elsewhere
    sod.py compare bodies.csv TIME     mean errors of density, velocity and pressure

The gas is dense for |x| < 1/2. A tube that repeats itself has two diaphragms, at x = -1/2 and 1/2:
what happens there is the same but for the direction, up to time 0.28. Density and pressure are 1
inside, 1/8 and 1/10 outside."""
import csv
import math
import sys

GAMMA = 1.4
INSIDE, OUTSIDE = (1.0, 0.0, 1.0), (0.125, 0.0, 0.1)  # density, velocity, pressure
ETA = 1.2  # smoothing length in distances between bodies; the support is two of them


def make(cells):
    """Bodies of equal masses on a line, eight times as far apart where the gas is thin."""
    print("x,y,z,vx,vy,vz,mass,u,support")
    for (density, _, pressure), outside in ((INSIDE, False), (OUTSIDE, True)):
        heat = pressure / ((GAMMA - 1) * density)
        n = round(cells * density)
        for i in range(n):
            x = (i + 0.5) / n - 0.5
            x = x + math.copysign(1, -x) if outside else x
            print(f"{x:.17g},0,0,0,0,0,{1 / cells:.17g},{heat:.17g},{2 * ETA / n:.17g}")


def flow(pressure, side):
    """Velocity behind the wave between a side and a pressure, and how it changes with it."""
    rho, _, p = side
    if pressure > p:
        a, b = 2 / ((GAMMA + 1) * rho), (GAMMA - 1) / (GAMMA + 1) * p
        root = math.sqrt(a / (pressure + b))
        return (pressure - p) * root, root * (1 - (pressure - p) / (2 * (pressure + b)))
    sound, power = math.sqrt(GAMMA * p / rho), (GAMMA - 1) / (2 * GAMMA)
    ratio = pressure / p
    return (2 * sound / (GAMMA - 1) * (ratio**power - 1),
            ratio**(-(GAMMA + 1) / (2 * GAMMA)) / (rho * sound))


def star():
    """Pressure and velocity between the waves (Toro 2009, section 4.3)."""
    pressure = (INSIDE[2] + OUTSIDE[2]) / 2
    for _ in range(50):
        (f, df), (g, dg) = flow(pressure, INSIDE), flow(pressure, OUTSIDE)
        pressure -= (f + g) / (df + dg)
    return pressure, (flow(pressure, OUTSIDE)[0] - flow(pressure, INSIDE)[0]) / 2


def exact(speed):
    """Density, velocity and pressure at x = speed * time from the diaphragm, dense gas left."""
    pressure, velocity = star()
    rho, _, p = OUTSIDE
    if speed > velocity:
        ratio, g = pressure / p, (GAMMA - 1) / (GAMMA + 1)
        shock = math.sqrt(GAMMA * p / rho) * math.sqrt((ratio + g) / (1 + g))
        return OUTSIDE if speed > shock else (rho * (ratio + g) / (g * ratio + 1), velocity,
                                              pressure)
    rho, _, p = INSIDE
    sound = math.sqrt(GAMMA * p / rho)
    if speed < -sound:
        return INSIDE
    behind = sound * (pressure / p)**((GAMMA - 1) / (2 * GAMMA))
    if speed > velocity - behind:
        return rho * (pressure / p)**(1 / GAMMA), velocity, pressure
    here = 2 / (GAMMA + 1) * (sound - (GAMMA - 1) / 2 * speed)
    ratio = here / sound
    return (rho * ratio**(2 / (GAMMA - 1)), 2 / (GAMMA + 1) * (sound + speed),
            p * ratio**(2 * GAMMA / (GAMMA - 1)))


def read(path):
    """Position, density, velocity away from the dense gas and pressure of each body."""
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            x, v, u, density = (float(row[name]) for name in ("x", "vx", "u", "density"))
            yield abs(x), density, math.copysign(v, x * v), (GAMMA - 1) * density * u


def compare(path, time):
    """Mean absolute errors, in equal parts of the tube however many bodies are there."""
    sums, cells = {}, 50
    for x, *found in read(path):
        true = exact((x - 0.5) / time)
        cell = sums.setdefault(int(x * cells), [0, 0, 0, 0])
        cell[0] += 1
        for k in range(3):
            cell[k + 1] += abs(found[k] - true[k])
    return [sum(cell[k] / cell[0] for cell in sums.values()) / len(sums) for k in (1, 2, 3)]


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "make":
        make(int(sys.argv[2]))
    elif len(sys.argv) == 4 and sys.argv[1] == "compare":
        density, velocity, pressure = compare(sys.argv[2], float(sys.argv[3]))
        print(f"density {density:.4f}  velocity {velocity:.4f}  pressure {pressure:.4f}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
