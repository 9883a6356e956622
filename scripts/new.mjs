// npm run new:adapter -- <name>, new:job -- <noun.verb> <service>, new:migration -- <service> <name>: generates the
// files that the rules require, and registers each where it must be listed. What they do is left to write.
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { runScript, say } from './launcher/say.mjs';
import { newAdapter } from './new/adapter.mjs';
import { Draft } from './new/draft.mjs';
import { newJob } from './new/job.mjs';
import { newMigration } from './new/migration.mjs';

/** Each returns what is left to do. @type {Record<string, (draft: Draft, args: string[]) => string[]>} */
const kinds = { adapter: newAdapter, job: newJob, migration: newMigration };

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  const [kind = '', ...args] = process.argv.slice(2);
  const make = kinds[kind];
  if (!make) throw new Error(`Say what is to be new: npm run new:${Object.keys(kinds).join(', npm run new:')}`);
  const draft = new Draft();
  const left = make(draft, args);
  for (const { path, isNew } of await draft.write()) say(`${isNew ? 'Wrote' : 'Changed'} ${path}`);
  say('What is left to do:');
  for (const each of left) say(`- ${each}`);
});
