# syntax=docker/dockerfile:1
# Three stages: the runtime dependencies, the build, and the image. The image holds no compiler, no development dependency
# and no npm cache. A change of the sources alone does not rebuild the layers of the dependencies.
#
# The base image is named by its tag. For a repeatable build, pin it to the digest that your registry shows
# (docker buildx imagetools inspect node:24-slim) with --build-arg NODE=node:24-slim@sha256:…; the release workflow does
# this and writes the digest into the image's labels.
ARG NODE=node:24-slim

FROM ${NODE} AS dependencies
WORKDIR /app
# The SQLite binding comes with a binary for common platforms; for other platforms it is built here.
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
COPY scripts ./scripts
# The binding's package is optional, so npm silently leaves it out if it can't be built. Loading it makes the build fail.
RUN npm ci --omit=dev \
 && node --eval "import('@keyv/sqlite')"

FROM dependencies AS build
# Compiling needs no install scripts of packages, and without them the binding is not built a second time.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build

FROM ${NODE}
ARG NODE
ARG VERSION=unreleased
ARG REVISION=unknown
ARG SOURCE=
LABEL org.opencontainers.image.title="jobcrier" \
      org.opencontainers.image.description="Watches a jobs listing API and announces new postings in Discord, by mail and by webhook." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.base.name="${NODE}"
ENV NODE_ENV=production \
    DATA_DIR=/data \
    CONFIG_DIR=/config \
    TEMPLATES_DIR=/templates \
    HTTP_HOST=0.0.0.0
RUN groupadd --gid 10001 jobcrier \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin jobcrier \
 && mkdir /data /templates && chown 10001:10001 /data \
 && ln -s /app/dist/main.js /usr/local/bin/jobcrier
COPY --from=dependencies /app/package.json /app/
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY config /app/config
COPY templates /app/templates
USER 10001:10001
VOLUME /data
# The folder of commands, so that `docker exec … jobcrier backup before-upgrade.sqlite` writes into the volume.
WORKDIR /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["jobcrier", "health"]
STOPSIGNAL SIGTERM
# Running deliveries get 20 seconds at a stop, so give `docker stop` at least 25.
ENTRYPOINT ["jobcrier"]
CMD ["run"]
