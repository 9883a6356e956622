import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** An installation of `npm start`, as its `gatehouse.json` describes it. */
export interface Installation {
  dataDir: string;
  base_url?: string;
  api_key?: string | null;
  services: { name: string; pid: number | null; port: number; operations_port: number }[];
}

/** @param given `--data-dir` */
export function findInstallation(given: string | undefined, env: NodeJS.ProcessEnv): Installation | null {
  const dataDir = resolve(given ?? env['GATEHOUSE_DATA_DIR'] ?? '.data');
  const file = join(dataDir, 'gatehouse.json');
  if (!existsSync(file)) return null;
  const written = JSON.parse(readFileSync(file, 'utf8')) as Partial<Installation>;
  return { services: [], ...written, dataDir };
}
