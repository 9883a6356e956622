import { patienceMs } from '#libs/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** Runs the client scenarios of the MCP conformance suite against the registry's client as built (dist/). */
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const client = `${process.execPath} ${fileURLToPath(new URL('client.mjs', import.meta.url))}`;
const expected = parse(readFileSync(new URL('expected-failures.yml', import.meta.url), 'utf8')) as { client: string[] };

/** For a protocol older than the first that we support, or not yet released. */
const outside = /^auth\/(2025-03-26|resource-mismatch|offline-access)/;
/** Each scenario takes two processes, and a build machine has two cores. */
const atATime = 2;

interface Outcome {
  passes: boolean;
  /** The last lines of the suite's output. */
  output: string;
}

/** @param cwd where the suite writes its findings */
function runSuite(args: string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: patienceMs, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [suite, ...args], options, (error, stdout, stderr) =>
      resolve({ passes: error === null, output: `${stdout}${stderr}`.slice(-3_000) }),
    );
  });
}

describe('the MCP conformance suite', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-conformance-'));
  const outcomes = new Map<string, Outcome>();
  const named = (passes: boolean) => [...outcomes].flatMap(([name, one]) => (one.passes === passes ? [name] : []));

  beforeAll(async () => {
    const { output } = await runSuite(['list'], cwd);
    const listed = [...output.slice(output.indexOf('Client scenarios')).matchAll(/^ {2}- (\S+)/gm)].map(
      ([, name]) => name,
    );
    const scenarios = listed.filter((name) => name !== undefined && !outside.test(name)) as string[];
    const queue = [...scenarios];
    const work = async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
        const args = ['client', '--command', client, '--scenario', name, '--timeout', '60000'];
        outcomes.set(name, await runSuite(args, cwd));
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it('passes with the client, except for the expected failures', () => {
    const surprises = named(false).filter((name) => !expected.client.includes(name));
    expect(surprises.map((name) => `${name}: ${outcomes.get(name)?.output}`)).toEqual([]);
  });

  it('fails where it is expected to', () => {
    expect(named(true).filter((name) => expected.client.includes(name))).toEqual([]);
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(expected.client));
  });

  it('has the number of scenarios that the documentation states', () => {
    const stated = /Of (\d+) scenarios .* (\d+) pass, the (\d+) of/s.exec(
      readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8'),
    );
    const auth = named(true).filter((name) => /^auth\/(?!client-credentials)/.test(name));
    expect(stated?.slice(1).map(Number)).toEqual([outcomes.size, named(true).length, auth.length]);
  });
});
