import { testRedisUrl } from '#libs/testing';

/** The run's Redis, a database of it for each test process: gateways of two test files must not take each other's jobs. */
export function workerRedisUrl(): string {
  const url = new URL(testRedisUrl());
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 1);
  url.pathname = `/${Number(url.pathname.slice(1) || 0) + worker - 1}`;
  return url.href;
}
