import type { Browser, BrowserContextOptions } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { launch, signIn, type Visit, visit } from './browser.js';

/** The console of a small system, with its owner in it. */
export interface OwnersConsole {
  browser: Browser;
  system: System;
  owner: Visit;
  /** The path of its first project. */
  project: string;
  /** Opens a page of the project. */
  go(path: string, by?: Visit): Promise<unknown>;
  close(): Promise<void>;
}

export async function openConsole(options: BrowserContextOptions = {}): Promise<OwnersConsole> {
  const [browser, system] = await Promise.all([launch(), startSmallSystem()]);
  const owner = await visit(browser, options);
  await signIn(owner, await system.ownerLink());
  const project = new URL(owner.page.url()).pathname.split('/').slice(0, 3).join('/');
  return {
    browser,
    system,
    owner,
    project,
    go: (path, { page } = owner) => page.goto(`${system.origin('portal')}${project}${path}`),
    close: async () => {
      await browser.close();
      await system.stop();
    },
  };
}
