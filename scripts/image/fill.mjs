// node scripts/image/fill.mjs APP FOLDER: copies into FOLDER what the image of one service holds, from dist/ and
// node_modules/ of the working directory.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { below, contentsOf } from './contents.mjs';

/** What only compilers and debuggers read. */
const isForTools = (/** @type {string} */ path) => /\.(?:[cm]?ts|map|tsbuildinfo)$/.test(path);

/** @param {string} root @param {string} app @param {string} into */
export function fillImage(root, app, into) {
  if (!existsSync(join(root, 'dist/apps', app, 'src/main.js'))) {
    throw new Error(
      `There is no service ${JSON.stringify(app)}: give --build-arg APP=<a folder of apps/ with a main.ts>`,
    );
  }
  const { files, packages } = contentsOf(root, app);
  const copy = (/** @type {string} */ path) => {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    cpSync(join(root, path), join(into, path), { dereference: true });
  };
  copy('package.json');
  copy('dist/build-id');
  for (const file of files) copy(join('dist', file));
  for (const folder of packages) {
    const inside = `node_modules${sep}`;
    for (const path of below(join(root, folder))) {
      // A package within another one is listed itself, if it is needed.
      if (!isForTools(path) && !relative(join(root, folder), path).includes(inside)) copy(relative(root, path));
    }
  }
}

const [, program = '', app = '', into = ''] = process.argv;
if (program.endsWith(join('image', 'fill.mjs'))) {
  rmSync(into, { recursive: true, force: true });
  fillImage(process.cwd(), app, into);
}
