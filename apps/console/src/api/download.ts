import { problemOf } from './problem.js';
import { contextHeaders } from './request-context.js';

/** Saves an answer of the API as a file. A plain link could not name the project. @throws ApiProblem */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: contextHeaders('GET') });
  if (!response.ok) throw await problemOf(response);
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
