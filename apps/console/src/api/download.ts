import { problemOf } from './problem.js';
import { contextHeaders } from './request-context.js';

/** Saves an answer of the API as a file. A plain link could not name the project. @throws ApiProblem */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: contextHeaders('GET') });
  if (!response.ok) throw await problemOf(response);
  saveFile(name, await response.blob());
}

/** Has the browser save the content as a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
