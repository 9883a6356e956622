import { type System, startSmallSystem } from '../system/system.js';
import { type Clone, cloneOf, commandsOf, follow } from './guide.js';

const page = 'receive-a-webhook.md';

/** Waits in the shell for what a person waits for with their eyes. */
const untilPrinted = (what: string, command: string): string =>
  `for _ in $(seq 1 600); do if ${command}; then break; fi; sleep 0.1; done\n${command} || { echo "never: ${what}"; exit 1; }`;

describe('the guide to receive a webhook, followed as it stands', () => {
  let system: System;
  let clone: Clone;
  beforeAll(async () => {
    system = await startSmallSystem();
    clone = cloneOf(system);
  });
  afterAll(async () => {
    clone?.remove();
    await system?.stop();
  });

  it('shows at each step what it says', async () => {
    const blocks = commandsOf(page);
    expect(blocks).toHaveLength(10);
    const reply = blocks.findIndex((block) => block.includes('listen(9000)'));
    // The block after it lists deliveries, once the reply is there.
    const delivered = `api "deliveries?app_id=$APP" | grep -q '"state":"delivered"'`;
    blocks[reply] += untilPrinted('the reply is delivered', delivered);
    const printed = await follow(clone, blocks);
    const [, sent, seen, , signed, verified, worked, replied, listed] = printed;
    expect(sent).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen).toMatch(/"id":"evt_/);
    expect(signed).toMatch(/"received":true[\s\S]*missing_signature/);
    expect(JSON.parse(verified ?? '')).toMatchObject({ ok: true });
    expect(worked).toMatch(/"event_types":\["build_failed"\][\s\S]*"received":true/);
    expect(replied).toMatch(/"reply_address":"http:\/\/127\.0\.0\.1:9000\/replies"/);
    expect(listed).toMatch(/"state":"delivered"/);
    expect(printed.at(-1)).toMatch(/"received":true/);
  });
});
