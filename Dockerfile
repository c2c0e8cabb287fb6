# syntax=docker/dockerfile:1
# The workflow with all packages of requirements.lock, which are held to their sums.
#
#   docker build --tag multiserver-atlas .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" multiserver-atlas all
#
# figures and results are written where it is run. Another package index than pip's own, a mirror in a
# closed network say, is named by --build-arg PIP_INDEX_URL=...; one that asks for a password by a
# pip.conf, --secret id=pip,src=pip.conf, which leaves no trace in the image.
ARG BASE=python:3.12-slim
FROM ${BASE}

ARG PIP_INDEX_URL
COPY requirements.lock /atlas/
RUN --mount=type=secret,id=pip,target=/etc/pip.conf,required=false \
    pip install --no-cache-dir --require-hashes --requirement /atlas/requirements.lock
COPY . /atlas
RUN pip install --no-cache-dir --no-deps --no-build-isolation --no-index /atlas \
    && python -m compileall -q /atlas/scripts /atlas/src

# Whoever runs it has no home and no name in it; Snakemake asks for both.
ENV HOME=/tmp USER=atlas
WORKDIR /work
ENTRYPOINT ["snakemake", "--snakefile", "/atlas/Snakefile"]
CMD ["all"]
