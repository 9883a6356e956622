// Writes a software bill of materials (CycloneDX, JSON) of all installed runtime packages: `npm run sbom [-- FILE]`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ensureNode } from './launcher/node.mjs';
import { npm } from './launcher/npm.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

await runScript(async () => {
  await ensureNode();
  const file = resolve(root, process.argv[2] ?? 'dist/sbom.cdx.json');
  const args = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const bill = await npm(args, { cwd: root, quiet: true });
  const { components } = JSON.parse(bill);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bill);
  say(`${components.length} components in ${file}`);
});
