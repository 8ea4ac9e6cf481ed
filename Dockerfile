# Octant with PoCL, an OpenCL driver for CPUs:
#   docker build -t octant .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" octant run plummer
# With --gpus all, and NVIDIA's container toolkit on the host, also its GPUs.
FROM debian:12-slim

RUN apt-get update \
    && apt-get install -y --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*

# tools/setup, which every goal begins with, installs all else, PoCL and ffmpeg among it.
COPY . /octant
RUN make -C /octant install \
    && rm -rf /octant /var/lib/apt/lists/*

# The toolkit brings the driver's library but no file that tells OpenCL's loader of it.
RUN echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility

# Whoever the container runs as can keep compiled kernels there.
ENV XDG_CACHE_HOME=/tmp/cache
WORKDIR /work
ENTRYPOINT ["octant"]
