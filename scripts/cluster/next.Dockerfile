# An image of a next release, which has one more migration, from one of this release:
#   docker build --build-arg IMAGE=gatehouse/router:dev -t gatehouse/router:next - < scripts/cluster/next.Dockerfile
ARG IMAGE
FROM ${IMAGE}
USER 0
# In the images that have that schema. The file ends without a line break.
RUN ! [ -f dist/apps/router/src/db/schema.js ] || printf '%s\n' '' \
  'class NextRelease4000000000000 {' \
  '  name = "NextRelease4000000000000";' \
  '  async up(runner) { await runner.query("ALTER TABLE router.channel ADD COLUMN next_release integer"); }' \
  '  async down(runner) { await runner.query("ALTER TABLE router.channel DROP COLUMN next_release"); }' \
  '}' \
  'schema.migrations.push(NextRelease4000000000000);' >> dist/apps/router/src/db/schema.js
USER 1000:1000
