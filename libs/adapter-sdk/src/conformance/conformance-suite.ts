import { checkAdapter, type CheckAdapterOptions } from './check-adapter.js';
import { describeFailure } from './print-report.js';
import type { CheckResult } from './report.js';

/** The `describe` and `it` of Jest, or of a compatible runner. */
export interface TestRunner {
  describe(title: string, define: () => void): unknown;
  it: {
    (title: string, run: () => void): unknown;
    skip(title: string, run: () => void): unknown;
  };
}

/**
 * The kit as a suite: one test per applicable check; a check with a missing fixture is a skipped test with its reason.
 * Awaited at the top level of a spec: `await describeConformance({ describe, it }, options)`.
 */
export async function describeConformance(runner: TestRunner, options: CheckAdapterOptions): Promise<void> {
  const report = await checkAdapter(options);
  runner.describe(`adapter contract: ${report.adapter ?? report.url}`, () => {
    for (const point of report.points) {
      const checks = point.checks.filter(({ status }) => status !== 'not_applicable');
      if (checks.length === 0) continue;
      runner.describe(`${point.point} ${point.title}`, () => {
        for (const check of checks) defineTest(runner, check);
      });
    }
  });
}

function defineTest({ it }: TestRunner, check: CheckResult): void {
  if (check.status === 'skipped') {
    it.skip(`${check.title} (skipped: ${check.reason})`, () => undefined);
    return;
  }
  it(check.title, () => {
    if (check.failure) throw new Error(describeFailure(check.id, check.failure));
  });
}
