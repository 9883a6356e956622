import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const glossary = `<!-- retired-words -->
| Retired | Replaced by | Only in         |
| ------- | ----------- | --------------- |
| mislay  | lose        |                 |
| talk    | session     | apps/           |
| said    | answer      | names           |
| tell    | inform      | names in apps/  |
<!-- /retired-words -->`;

/** The findings of the gate in a repository with only these files. */
async function findings(files: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-words-'));
  try {
    for (const [path, text] of Object.entries({ 'docs/glossary.md': glossary, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const printed = await new Promise<string>((resolve) => {
      const args = [join(root, 'scripts/words.mjs'), folder];
      execFile(process.execPath, args, (_error, _stdout, stderr) => resolve(stderr));
    });
    return printed
      .split('\n')
      .slice(0, -2)
      .map((line) => line.replace(/”.*/, '”'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the gate of retired words', () => {
  it('reports a word in prose, in parts of names and in file names', async () => {
    const found = await findings({
      'a.md': 'x\nWe mislay it.',
      'mislay-it.ts': '',
      'b.ts': 'export const toMislay = 1;',
    });
    expect(found.toSorted()).toEqual(['a.md:2: “mislay”', 'b.ts:1: “mislay”', 'mislay-it.ts: “mislay”']);
  });

  it('reports a word of a folder only there', async () => {
    expect(await findings({ 'apps/a.md': 'talk', 'libs/a.md': 'talk' })).toEqual(['apps/a.md:1: “talk”']);
  });

  it('reports a word that is retired in names where it is an identifier, a part of one or a file name', async () => {
    const found = await findings({
      'a.ts': 'export const said = 1;\nexport class A { #said = 1; heSaid = `${this.#said}`; }',
      'b.tsx': 'export const b = <div>{said}</div>;',
      'said.mjs': '',
    });
    expect(found.toSorted()).toEqual(['a.ts:1: “said”', 'a.ts:2: “said”', 'b.tsx:1: “said”', 'said.mjs: “said”']);
  });

  it('lets prose and strings have a word that is retired in names', async () => {
    const found = await findings({
      'a.ts':
        "// What it said.\nexport const a = 'said';\nexport const b = `said ${a} said`;\nexport const c = /said/;",
      'b.tsx': 'export const b = <div>said</div>;',
      'said.md': 'said',
    });
    expect(found).toEqual([]);
  });

  it('reports a word that is retired in the names of a folder only there', async () => {
    const code = 'export const tell = 1;';
    expect(await findings({ 'apps/a.ts': code, 'libs/a.ts': code })).toEqual(['apps/a.ts:1: “tell”']);
  });
});
