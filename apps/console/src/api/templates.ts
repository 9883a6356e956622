import { answer, api, type Schema } from './client.js';
import type { Question } from './project-query.js';

/** What fills a project; the same for all projects. */
export const templatesQuestion = [
  ['templates'],
  (signal) => answer(api.GET('/api/v1/templates', { signal })),
] as const satisfies Question<Schema<'OfferedTemplatePage'>>;
