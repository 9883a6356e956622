import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * What is read of Jest's own types.
 * @typedef {{testFilePath: string, numFailingTests: number, testExecError?: unknown, failureMessage?: string | null,
 *   perfStats: {start: number, end: number}}} TestFile
 * @typedef {{success: boolean, testResults: TestFile[]}} Results
 */

const SHOWN = 10;

/** The stores of the run stop in a few seconds; a process that lives longer waits for what a spec left open. */
const GRACE_MS = 60_000;

/**
 * Says at the end which spec files took longest, and which failed to whoever asks by `GATEHOUSE_TEST_FAILURES`: the
 * name of a file to write, as JSON `[{ file, failure }]`. Ends a run whose connections would keep it alive for good.
 */
export default class JestReporter {
  /** @param {{rootDir: string}} globalConfig */
  constructor(globalConfig) {
    this.rootDir = globalConfig.rootDir;
  }

  /**
   * @param {ReadonlySet<unknown>} _contexts
   * @param {Results} results
   */
  onRunComplete(_contexts, results) {
    setTimeout(() => {
      process.stderr.write(
        `\nThe specs have ended, but something they left open keeps the process alive: ${openHandles()}.\n`,
      );
      process.exit(results.success ? 0 : 1);
    }, GRACE_MS).unref();
    const failuresFile = process.env.GATEHOUSE_TEST_FAILURES;
    if (failuresFile) writeFileSync(failuresFile, JSON.stringify(this.failures(results), null, 2));
    if (results.testResults.length <= SHOWN) return;
    const slowest = results.testResults
      .map(({ testFilePath, perfStats }) => ({ file: this.name(testFilePath), ms: perfStats.end - perfStats.start }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN);
    process.stderr.write('\nThe files that took longest:\n');
    for (const { file, ms } of slowest) process.stderr.write(`  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}\n`);
  }

  /**
   * @param {Results} results
   * @returns {Array<{ file: string, failure: string }>}
   */
  failures({ testResults }) {
    return testResults
      .filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError)
      .map(({ testFilePath, failureMessage }) => ({ file: this.name(testFilePath), failure: failureMessage ?? '' }));
  }

  /** @param {string} path */
  name(path) {
    return relative(this.rootDir, path);
  }
}

/** Such as `2 TCPSocketWrap, 1 Timeout`. */
function openHandles() {
  const kinds = process.getActiveResourcesInfo();
  return [...new Set(kinds)].map((kind) => `${kinds.filter((one) => one === kind).length} ${kind}`).join(', ');
}
