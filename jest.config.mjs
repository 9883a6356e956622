import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

export default {
  // By what a spec needs: nothing, Postgres and Redis, or the services as processes.
  testMatch: ['<rootDir>/(apps|libs|test)/**/*.(unit|integration|system).spec.ts'],
  // swc emits the decorator metadata that Nest injects by.
  transform: { '\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  // They run as Node's own ES modules, and what a worker has loaded serves all of its files.
  runtime: '<rootDir>/libs/testing/src/jest-runtime.mjs',
  testEnvironment: '<rootDir>/libs/testing/src/jest-environment.mjs',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.cache', '<rootDir>/.data'],
  globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.mjs',
  setupFilesAfterEnv: ['<rootDir>/libs/testing/src/empty-redis.mjs'],
  reporters: ['default', '<rootDir>/libs/testing/src/jest-reporter.mjs'],
  globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.mjs',
  // More than `until` waits, which says what for.
  testTimeout: 300_000,
};
