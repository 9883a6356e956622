import type { Schema } from '../../api/named-schema.js';

/** The files of a folder by their paths within it. Of a single file, its name. */
export function folderFiles(files: readonly File[]): Promise<Schema<'SkillFile'>[]> {
  return Promise.all(
    files.map(async (file) => ({
      path: file.webkitRelativePath.split('/').slice(1).join('/') || file.name,
      content: await file.text(),
    })),
  );
}
