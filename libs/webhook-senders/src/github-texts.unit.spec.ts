import { createRequire } from 'node:module';
import { readEvents, senderById } from './index.js';

type Examples = { name: string; examples: object[] }[];

const collection = createRequire(import.meta.url)('@octokit/webhooks-examples') as Examples;

/** What people read of the examples of an event that Octokit's collection has. */
function textsOf(name: string): (string | null)[] {
  const github = senderById('github');
  const examples = collection.find((entry) => entry.name === name)?.examples ?? [];
  return examples.map((example) => {
    const request = { method: 'POST', url: 'https://hooks.example/', headers: { 'x-github-event': name } };
    const [event] = readEvents(github?.reading ?? {}, { ...request, body: Buffer.from(JSON.stringify(example)) });
    return event?.text ?? null;
  });
}

it.each([
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'discussion',
  'release',
  'dependabot_alert',
  'code_scanning_alert',
])('each example of %s has a text for people', (name) => {
  const texts = textsOf(name);
  expect(texts.length).toBeGreaterThan(2);
  for (const text of texts) expect(text).toMatch(/\w/);
});

it('a push has the message of its last commit; without a commit it is shown as it is', () => {
  const texts = textsOf('push');
  expect(texts).toContain(null);
  expect(texts.filter((text) => text !== null).length).toBeGreaterThan(2);
});

it('a comment is the text, not the title of what it is about', () => {
  expect(textsOf('issue_comment')).toContain("You are totally right! I'll get this fixed right away.");
});
