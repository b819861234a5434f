# Rackwire without servers of its own: it needs DATABASE_URL, REDIS_URL and SECRET_KEY (docs/install.md).
# `npm run test:image` carries out these steps in an empty Debian, as there may be no container engine.
# Images are named by digest, so that nobody changes them under us: `docker buildx imagetools inspect node:24-bookworm-slim`
# prints that of the newest. Renew them with each release.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.types.json ./
COPY bin ./bin
COPY ops/build.ts ./ops/build.ts
COPY plugins ./plugins
COPY src ./src
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
WORKDIR /opt/rackwire
COPY --from=build /build/package.json ./
COPY --from=build /build/bin ./bin
COPY --from=build /build/dist ./dist
COPY --from=build /build/node_modules ./node_modules
RUN ln -s /opt/rackwire/bin/rackwire.mjs /usr/local/bin/rackwire
ENV HOST=0.0.0.0
USER node
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["rackwire"]
CMD ["serve"]
