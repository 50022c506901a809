# syntax=docker/dockerfile:1
# Two stages: one builds, the other holds what runs. No compiler, no dev dependency and no npm cache gets into the second.
FROM node:24-slim AS build
WORKDIR /app
# The SQLite binding brings a binary for common platforms; elsewhere it is built here.
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm ci && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production \
    DATA_DIR=/data \
    CONFIG_DIR=/config \
    TEMPLATES_DIR=/templates \
    STORE_URL=sqlite:///data/jobcrier.sqlite \
    HTTP_HOST=0.0.0.0
WORKDIR /app
RUN groupadd --gid 10001 jobcrier \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin jobcrier \
 && mkdir /data && chown 10001:10001 /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY config ./config
COPY templates ./templates
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["node", "dist/main.js", "health"]
STOPSIGNAL SIGTERM
# A clean stop may take the 20 seconds that running deliveries get: give `docker stop` at least 25.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["run"]
