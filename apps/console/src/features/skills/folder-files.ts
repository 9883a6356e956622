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

/** Hands a text to the browser to keep. */
export function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
