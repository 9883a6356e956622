import type { MovedRows } from '#libs/project-rows';
import { existsSync, readdirSync } from 'node:fs';

/** What each service says of its tables: found by folder, so that a service without a list is noticed. */
export async function movedLists(): Promise<MovedRows[]> {
  const root = new URL('../../apps/', import.meta.url);
  const files = readdirSync(root).flatMap((app) =>
    ['moved-rows', 'moved-journal'].map((name) => new URL(`${app}/src/db/${name}.ts`, root)),
  );
  const lists = await Promise.all(
    files.filter((file) => existsSync(file)).map((file) => import(file.href) as Promise<Record<string, MovedRows>>),
  );
  return lists.flatMap((each) => Object.values(each));
}
