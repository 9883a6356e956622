import { readFileSync } from 'node:fs';
import { joinedPackages } from './libs/testing/src/jest-packages.mjs';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

/** Sources run as ES modules through swc, which emits the decorator metadata that Nest injects by. */
export default {
  // By what a spec needs: nothing, Postgres and Redis, or the services as processes.
  testMatch: ['<rootDir>/(apps|libs|test)/**/*.(unit|integration|system).spec.ts'],
  transform: { '\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { ...(await joinedPackages()), '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['gatehouse-source', 'node', 'node-addons'] },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.cache', '<rootDir>/.data'],
  globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.mjs',
  setupFilesAfterEnv: ['<rootDir>/libs/testing/src/empty-redis.mjs'],
  globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.mjs',
  testTimeout: 120_000,
  // What a file imported as ES modules is not given back: a worker that has run some hundred files would be out of memory.
  workerIdleMemoryLimit: '1.5GB',
};
