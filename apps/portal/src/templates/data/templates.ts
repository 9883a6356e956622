import type { Template } from '../template.js';
import { alertTriage } from './alert-triage.js';
import { githubTriage } from './github-triage.js';
import { invoiceFiler } from './invoice-filer.js';
import { supportInbox } from './support-inbox.js';

/** In the order in which they are offered. */
export const templates: readonly Template[] = [supportInbox, alertTriage, invoiceFiler, githubTriage];
