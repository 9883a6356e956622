import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const client = `${process.execPath} ${fileURLToPath(new URL('client.mjs', import.meta.url))}`;

/** The revisions that the registry's client speaks, and that the suite has scenarios for. */
export const revisions = ['2025-11-25', '2026-07-28'];
/** Each run takes two processes, and a build machine has two cores. */
const atATime = 2;
const runMs = 120_000;

/** Why scenarios fail that are expected to, by their names. */
export const { client: gaps } = parse(readFileSync(new URL('expected-failures.yml', import.meta.url), 'utf8')) as {
  client: Record<string, string>;
};

export interface Outcome {
  scenario: string;
  /** Or `extension`: it is of none. */
  revision: string;
  passes: boolean;
  /** The last lines of the suite's. */
  output: string;
}

/** Runs each client scenario at each revision that it is of. @returns in the suite's order */
export async function runSuite(): Promise<Outcome[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-conformance-'));
  try {
    const { output } = await run(['list', '--client'], cwd);
    const runs = [...output.matchAll(/^ {2}- (\S+) \[([^\]]+)\]/gm)].flatMap(([, scenario = '', versions = '']) => {
      const of =
        versions === 'extension' ? ['extension'] : revisions.filter((one) => versions.split(',').includes(one));
      return of.map((revision) => ({ scenario, revision }));
    });
    const outcomes: Outcome[] = [];
    const queue = [...runs.entries()];
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [at, { scenario, revision }] = next;
        const version = revision === 'extension' ? [] : ['--spec-version', revision];
        const args = ['client', '--command', client, '--scenario', scenario, '--timeout', '60000', ...version];
        outcomes[at] = { scenario, revision, ...(await run(args, cwd)) };
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    return outcomes;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** The page of the documentation. */
export function tableOf(outcomes: Outcome[]): string {
  const names = [...new Set(outcomes.map(({ scenario }) => scenario))];
  const columns = [...revisions, 'extension'];
  const rows = names.map((name) => {
    const cells = columns.map((column) => {
      const one = outcomes.find(({ scenario, revision }) => scenario === name && revision === column);
      return one === undefined ? '' : one.passes ? 'passes' : 'fails';
    });
    return `| \`${name}\` | ${cells.join(' | ')} | ${gaps[name] ?? ''} |`;
  });
  const passed = outcomes.filter(({ passes }) => passes).length;
  return `<!-- Made by \`node scripts/mcp-conformance.mjs\`: do not edit. -->

# MCP conformance

The client scenarios of \`@modelcontextprotocol/conformance\` against the registry's client, each at every revision that it is of:
${passed} of ${outcomes.length} runs pass. A gap is named in [expected-failures.yml](../../test/conformance/expected-failures.yml).

| Scenario | ${columns.join(' | ')} | Gap |
| --- | ${columns.map(() => '---').join(' | ')} | --- |
${rows.join('\n')}
`;
}

/** @param cwd where the suite writes its findings */
function run(args: string[], cwd: string): Promise<Pick<Outcome, 'passes' | 'output'>> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: runMs, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [suite, ...args], options, (error, stdout, stderr) =>
      resolve({ passes: error === null, output: `${stdout}${stderr}`.slice(-3_000) }),
    );
  });
}
