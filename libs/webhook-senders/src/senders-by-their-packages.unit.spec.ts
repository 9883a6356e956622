import { PreparedScheme } from '#libs/adapter-sdk';
import { senderById } from './index.js';
import { publishedSamples, sentBody } from './testing/published-sample.js';
import { type ByPackage, type Given, packages, url } from './testing/sender-packages.js';
import { rules } from './testing/sign-as-sender.js';

const cases = Object.entries(packages).flatMap(([name, by]) => by.senders.map((id) => [id, name, by] as const));

async function theirs({ accepts }: ByPackage, given: Given): Promise<boolean> {
  try {
    return Boolean(await accepts(given));
  } catch {
    return false;
  }
}

function ours(id: string, { body, headers, secret }: Given, now: number): boolean {
  const verification = senderById(id)?.verification;
  if (!verification) throw new Error(`no sender ${id}`);
  const scheme = new PreparedScheme({ ...verification, secret_fields: ['signing_secret'] });
  const bytes = Buffer.from(body);
  return scheme.check({ signing_secret: secret }, { method: 'POST', url, headers }, [bytes], now).ok;
}

/** Another letter in the middle of a text. Adyen signs some fields only. */
const changed = (text: string): string => {
  if (text.includes('"merchantReference":"')) return text.replace('"merchantReference":"', '"merchantReference":"q');
  const at = text.search(/[a-z](?=[a-z]*["&:=]|$)/);
  return `${text.slice(0, at)}${text[at] === 'q' ? 'z' : 'q'}${text.slice(at + 1)}`;
};

it('every sender that names a package as its proof is here, and none else', () => {
  const named = [...publishedSamples].flatMap(([id, { proof }]) => (proof.by === 'package' ? [id, proof.package] : []));
  const vectors = new Set([...publishedSamples].flatMap(([id, { proof }]) => (proof.by === 'vector' ? [id] : [])));
  const asked = cases.flatMap(([id, name]) => (vectors.has(id) ? [] : [id, name]));
  expect(named.toSorted()).toEqual(asked.toSorted());
});

describe.each(cases)('%s, whose own code is in %s', (id, _name, by) => {
  const [secret, other] = by.secrets;
  const now = Date.now();

  const signed = async (atMs: number): Promise<Given> => {
    const sample = publishedSamples.get(id)?.payload ?? senderById(id)?.sample;
    const text = sample ? sentBody(sample) : '';
    const to = { body: by.timed?.(text) ?? text, url, atMs, secret };
    const made = (await by.sign?.(to)) ?? rules[id]?.(to) ?? {};
    const headers = { 'content-type': 'application/json', ...sample?.headers, ...by.headers, ...made.headers };
    return { body: made.body ?? to.body, headers, url, secret };
  };
  const verdicts = async (given: Given): Promise<[boolean, boolean]> => [ours(id, given, now), await theirs(by, given)];

  it('is accepted by both as it signs', async () => {
    expect(await verdicts(await signed(now))).toEqual([true, true]);
  });

  it('is refused by both with another body, another signature and another secret', async () => {
    const good = await signed(now);
    const spoilt = Object.fromEntries(
      Object.entries(good.headers).map(([name, value]) =>
        /signature|^authorization$|^x-hub/.test(name) && !name.endsWith('timestamp')
          ? [name, `${value.slice(0, -6)}${value.slice(-3)}${value.slice(-6, -3)}`]
          : [name, value],
      ),
    );
    expect(await verdicts({ ...good, body: changed(good.body) })).toEqual([false, false]);
    expect(await verdicts({ ...good, secret: other })).toEqual([false, false]);
    if (JSON.stringify(spoilt) !== JSON.stringify(good.headers)) {
      expect(await verdicts({ ...good, headers: spoilt })).toEqual([false, false]);
    }
  });

  it('is refused by ours when it is old, wherever the package refuses it', async () => {
    if (by.sign) return;
    const [mine, its] = await verdicts(await signed(now - 3_600_000));
    if (its) expect(by.ignoresTime === true || mine).toBe(true);
    else expect(mine).toBe(false);
  });
});
