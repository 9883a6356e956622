import { until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from './system.js';

/**
 * A service's current metrics, from its operations port, which the log of its process names.
 * @param process absent: one of its own
 */
export async function scrape(system: System, service: string, process = service): Promise<string> {
  const log = readFileSync(join(system.dataDir, 'logs', `${process}.log`), 'utf8');
  const lines = log.split('\n').filter((line) => line.includes(`"service":"${service}"`));
  const started = lines.findLast((line) => line.includes('"operations.started"'))?.match(/"url":"([^"]+)"/)?.[1];
  return (await fetch(`${started}/metrics`)).text();
}

/** The sum over all series of one metric that have these labels. */
export function sumOf(text: string, name: string, labels: Record<string, string> = {}): number {
  const series = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const chosen = series.filter((line) =>
    Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)),
  );
  return chosen.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Waits until a metric exceeds its earlier value. */
export function rises(
  system: System,
  service: string,
  name: string,
  labels: Record<string, string>,
  above: number,
): Promise<number> {
  return until(`${name} of ${service} is above ${above}`, async () => {
    const now = sumOf(await scrape(system, service), name, labels);
    return now > above ? now : null;
  });
}
