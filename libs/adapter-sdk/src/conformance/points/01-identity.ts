import { manifestProblems } from '../../manifest-problems.js';
import { answered, expectThat } from '../check.js';
import type { Point } from './point.js';

export const identity: Point = {
  number: 1,
  title: '/health and /manifest.json agree',
  async run(kit) {
    await kit.check(
      '1.manifest',
      'serves a valid manifest',
      'Serve the manifest of section 2.1 at /manifest.json; the fields to correct are named above.',
      async () => {
        const answer = await kit.adapter.get('/manifest.json');
        const manifest = answered(answer);
        kit.manifest = manifest;
        const problems = manifestProblems(manifest).map(({ field, message }) => `${field} ${message}`);
        expectThat(problems.length === 0, answer, 'a valid manifest', problems);
      },
    );
    await kit.check(
      '1.health',
      'is exactly ready, and says which build runs',
      'Answer {"status":"ready","version":"<build>","adapter":"<slug>"}; version is "unknown" when no build is known.',
      async () => {
        const answer = await kit.adapter.get('/health');
        const health = answered(answer);
        expectThat(health.status === 'ready', answer, 'status "ready"', health.status);
        expectThat(
          typeof health.version === 'string' && health.version !== '',
          answer,
          'a version text',
          health.version,
        );
        kit.version = health.version;
      },
    );
    await kit.check(
      '1.slug',
      'has one slug in manifest, health and address',
      "Make the manifest's slug, the adapter of /health and the last segment of the mount path the same text.",
      async () => {
        const answer = await kit.adapter.get('/health');
        const mount = new URL(kit.settings.first.url).pathname.split('/').findLast((segment) => segment !== '');
        const slugs = [kit.manifest.slug, answered(answer).adapter, mount];
        expectThat(new Set(slugs).size === 1, answer, 'one slug for manifest, health and mount path', slugs);
      },
    );
  },
};
