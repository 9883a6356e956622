// Fails where a line of prose is too long to be compared side by side. Tables, code and generated text are exempt.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/project.mjs';

const most = 160;
const generated = 'docs/reference/';

const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith(generated) && existsSync(join(root, path)));
const found = pages.flatMap((path) => {
  let inCode = false;
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trimStart().startsWith('```')) inCode = !inCode;
      const isProse = !inCode && !line.startsWith('|');
      return isProse && line.length > most ? [`${path}:${at + 1}: ${line.length} characters`] : [];
    });
});
if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\nlines  Break these: a line of prose has at most ${most} characters.\n`);
  process.exit(1);
}
process.stdout.write(`lines  none is over ${most} characters in ${pages.length} pages\n`);
