# One image for the API, the worker, and both in one (the default command).
#
# The tag names an exact Node release, but a tag can be moved. To pin the bytes, take the digest from
#   docker buildx imagetools inspect node:24.21.0-trixie-slim
# and build with --build-arg NODE_IMAGE=node:24.21.0-trixie-slim@sha256:...
ARG NODE_IMAGE=node:24.21.0-trixie-slim

FROM ${NODE_IMAGE} AS release
WORKDIR /build
# Before the sources, so that a change of these does not install the packages again. The native add-ons come prebuilt for
# this Node on glibc: no compiler is needed (Alpine is not tested).
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run pack
WORKDIR /build/release
# Without the Node that a release brings along: the image has it.
RUN npm ci --omit=dev && rm -r node_modules/node node_modules/.bin/node

FROM ${NODE_IMAGE}
# 8 threads, so that password hashing does not hold up file access. The three settings after that keep memory low, as the
# commands in package.json do.
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=8 \
    MALLOC_ARENA_MAX=2 \
    MALLOC_TRIM_THRESHOLD_=2097152 \
    NODE_OPTIONS=--max-semi-space-size=16 \
    MEMORY_API_HOST=0.0.0.0 \
    MEMORY_DATA_DIR=/data/database \
    MEMORY_MODEL_DIR=/data/models
WORKDIR /app
# All of /app stays root's: the service cannot change its own code.
COPY --from=release /build/release ./

# The embedded database, when there is no other, and the models.
RUN install -d -o node -g node /data /data/database /data/models
VOLUME /data
USER node
EXPOSE 8787
# Node runs as process 1 and drains on this signal itself, so no init stands in between.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.MEMORY_API_PORT || process.env.PORT || 8787) + '/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "start.ts"]
