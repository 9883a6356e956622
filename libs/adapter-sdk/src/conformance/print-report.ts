import { terminalText } from '../terminal-text.js';
import type { CheckFailure, ConformanceReport, PointStatus } from './report.js';

const MARKS: Record<PointStatus, string> = {
  passed: 'pass',
  failed: 'FAIL',
  skipped: 'skip',
  not_applicable: 'n/a ',
  incomplete: 'part',
};

/** The report as lines for a person: each point; failures with call, expectation and advice; skips with the reason. */
export function printReport(report: ConformanceReport): string {
  // On one line, whatever the adapter says of itself: more lines would read as results.
  const who = `${report.adapter ?? 'unknown adapter'} ${report.version ?? ''}`.replaceAll(/\s+/g, ' ');
  const lines = [`${who} at ${report.url}`, ''];
  for (const point of report.points) {
    lines.push(`${MARKS[point.status]}  ${String(point.point).padStart(2)}  ${point.title}`);
    for (const check of point.checks) {
      if (check.failure) lines.push(indent(describeFailure(`${check.id} ${check.title}`, check.failure)));
      else if (check.status !== 'passed')
        lines.push(`          ${check.id} ${MARKS[check.status].trim()}: ${check.reason}`);
    }
  }
  const { passed, failed, skipped, not_applicable } = report.summary;
  lines.push('', `${passed} passed, ${failed} failed, ${skipped} skipped, ${not_applicable} not applicable`);
  return terminalText(`${lines.join('\n')}\n`);
}

export function describeFailure(name: string, { request, expected, got, advice }: CheckFailure): string {
  return [
    name,
    `  call      ${request}`,
    `  expected  ${expected}`,
    `  got       ${got}`,
    `  to do     ${advice}`,
  ].join('\n');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '          ');
}
