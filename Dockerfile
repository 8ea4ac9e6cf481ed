# Octant with PoCL, an OpenCL driver for CPUs, and Open MPI:
#   docker build -t octant .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" octant run plummer
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" --entrypoint mpirun octant \
#       -n 4 octant run plummer
# With --gpus all, and NVIDIA's container toolkit on the host, also its GPUs. apptainer.def makes the
# same for Apptainer.
FROM debian:12-slim

RUN apt-get update \
    && apt-get install -y --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*

# tools/setup, which every goal begins with, installs all else, PoCL, Open MPI and ffmpeg among it.
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
