import { readdirSync, statSync, watch } from 'node:fs';
import { join, sep } from 'node:path';

/** On Linux, Node's recursive watch loses a file once an editor replaces it, so each folder is watched by itself. */
const isLinux = process.platform === 'linux';

/**
 * Reports every file below the folders that changes, appears or disappears, including in new folders.
 * @param {string[]} folders absolute
 * @param {(path: string) => void} onChange
 * @param {(error: Error) => void} onError when something can no longer be watched
 * @returns {() => void} stops it
 * @throws where a folder cannot be watched
 */
export function watchFolders(folders, onChange, onError) {
  /** @type {Map<string, import('node:fs').FSWatcher>} */
  const watchers = new Map();

  /** @param {string} folder */
  function forget(folder) {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      watchers.delete(path);
    }
  }

  /** @param {string} folder */
  function follow(folder) {
    // A folder of this name may have been watched before.
    forget(folder);
    const watcher = watch(folder, { recursive: !isLinux }, (event, name) => {
      if (name === null) return;
      const path = join(folder, name);
      if (isLinux && event === 'rename') refollow(path);
      onChange(path);
    });
    watcher.on('error', onError);
    watchers.set(folder, watcher);
    if (!isLinux) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name !== 'node_modules') follow(join(folder, entry.name));
    }
  }

  /** Something appeared or disappeared: a folder has to be watched, or no longer. @param {string} path */
  function refollow(path) {
    try {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) follow(path);
      else forget(path);
    } catch (error) {
      // It is gone again already, which is reported too.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone) onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  for (const folder of folders) follow(folder);
  return () => {
    for (const watcher of watchers.values()) watcher.close();
  };
}
