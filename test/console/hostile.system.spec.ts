import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';
import { type Hostile, makeHostile, rightToLeft } from './hostile-values.js';

const looks = [
  [1440, 'light'],
  [360, 'dark'],
] as const;
/** One text that is laid out at once: the first part of a document. */
const longestText = 20_100;
/** Of a whole page. */
const mostCharacters = 150_000;
const mostElements = 6_000;
/** Of 14, 22, 25 or 32 digits: pictures of two runs have the same names. */
const idInPath = /_(?:[0-9a-z]{14}|[0-9a-f]{12}[0-9a-z]{10}(?:[0-9a-z]{3})?|[0-9a-f]{32})(?![0-9a-z])/;
/** In px. Texts are drawn a hundred lines at a time. */
const mostHeight = 25_000;

interface Drawn {
  wider: number;
  /** The page beside the navigation. */
  share: number;
  longest: number;
  characters: number;
  elements: number;
  turns: boolean;
  /** More marks upon a letter than any script has. */
  stacks: boolean;
  height: number;
  /** Links and frames that run code, or leave the web. */
  code: number;
}

/** What a page makes the browser lay out. */
const drawn = (page: Page): Promise<Drawn> =>
  page.evaluate<Drawn>(`(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.getElementById('root'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest('style, script')) texts.push(walker.currentNode.data);
    const attributes = [...document.querySelectorAll('[title], [aria-label]')].flatMap((element) => [
      element.getAttribute('title') ?? '',
      element.getAttribute('aria-label') ?? '',
    ]);
    return {
      wider: document.documentElement.scrollWidth - innerWidth,
      share: document.querySelector('main').getBoundingClientRect().width / innerWidth,
      longest: Math.max(0, ...[...texts, ...attributes, document.title].map((text) => text.length)),
      characters: texts.join('').length,
      elements: document.querySelectorAll('*').length,
      code: [...document.querySelectorAll('a[href], area[href], form[action], iframe[src]')].filter(
        (element) => !/^(https?|mailto):$/.test(new URL(element.href ?? element.action ?? element.src).protocol),
      ).length,
      height: document.documentElement.scrollHeight,
      stacks: /[\\p{M}\\u200d]{7}/u.test([...texts, ...attributes, document.title].join(' ')),
      turns: /[\\u202a-\\u202e\\u2066\\u2067]/.test(texts.join('') + document.title),
    };
  })()`);

/** There is a heading, and nothing in sight waits: a chart loads when it comes into sight. */
const loaded = `document.querySelector('h1') !== null && ![...document.querySelectorAll('.mantine-Skeleton-root')].some(
  (element) => element.getBoundingClientRect().top < innerHeight)`;
/** So that a page that does not load is named. */
const openMs = 60_000;

inBrowser('pages full of what others wrote', () => {
  let browser: Browser;
  let system: System;
  let person: Visit;
  let page: Page;
  let project: string;
  let hostile: Hostile;

  beforeAll(async () => {
    browser = await launch();
    system = await startSmallSystem({ PYTHON_START_MS: '120000' });
    person = await visit(browser, {});
    page = person.page;
    await signIn(person, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    hostile = await makeHostile(system, project.split('/').at(-1) ?? '');
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await hostile?.adapter.close();
    await hostile?.mcp.close();
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${system.origin('portal')}${project}/${path}`);
    await until(`${path} has loaded`, () => page.evaluate<boolean>(loaded), openMs);
  };
  const pictureOf = (path: string, look: string): Promise<void> =>
    person.picture(`hostile-${path.replace(idInPath, '').replaceAll(/[/?=]/g, '-')}-${look}`);

  it('are not wider than the window, and draw no more of a text than its beginning', async () => {
    const wrong: object[] = [];
    for (const path of hostile.paths) {
      await open(path);
      for (const [width, colorScheme] of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        // It draws the new width.
        await pictureOf(path, `${width}-${colorScheme}`);
        const { wider, share, longest, characters, elements, turns, stacks, height, code } = await drawn(page);
        const fine =
          wider <= 0 &&
          share > 0.75 &&
          longest <= longestText &&
          characters <= mostCharacters &&
          elements <= mostElements &&
          !turns &&
          !stacks &&
          height <= mostHeight &&
          code === 0;
        if (!fine)
          wrong.push({ path, width, wider, share, longest, characters, elements, turns, stacks, height, code });
      }
    }
    expect(wrong).toEqual([]);
    expect(person.complaints).toEqual([]);
  });

  it.each(['java\tscript:alert(1)', ' \u0001JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x', 'acme.example'])(
    'show the name of an author whose page is %j, and no link',
    async (url) => {
      // Such an address is refused where it is saved; this is as if one had been.
      await page.route('**/api/v1/adapters/*', async (route) => {
        const answer = await route.fetch();
        const adapter = (await answer.json()) as { manifest: object };
        await route.fulfill({
          response: answer,
          json: { ...adapter, manifest: { ...adapter.manifest, author: { name: 'Acme Limited', url } } },
        });
      });
      await open(hostile.paths.find((path) => path.startsWith('developer-portal/')) ?? '');
      await page.getByText('Acme Limited').first().waitFor();
      expect(await page.getByRole('link', { name: 'Acme Limited' }).count()).toBe(0);
      expect((await drawn(page)).code).toBe(0);
      await page.unroute('**/api/v1/adapters/*');
    },
  );

  it('draw as much of a message of 100,000 characters as of one of 8,000', async () => {
    const sizes: Drawn[] = [];
    for (const id of [hostile.events.short, hostile.events.long]) {
      await open(`events/${id}`);
      await page.getByRole('button', { name: 'Expand all' }).click();
      await until('all has loaded', async () => (await page.locator('.mantine-Skeleton-root').count()) === 0);
      sizes.push(await drawn(page));
    }
    const [short, long] = sizes;
    expect(long?.elements).toBeLessThan((short?.elements ?? 0) + 300);
    expect(long?.characters).toBeLessThan((short?.characters ?? 0) + 30_000);
    await pictureOf('event-open', '360-dark');
  });

  it('show the rest of a text step by step', async () => {
    await open(`conversations/${hostile.session}`);
    const more = page.getByRole('button', { name: /^Show 20,000 of [\d,]+ more characters$/ }).first();
    const left = Number((await more.textContent())?.split(' ')[3]?.replaceAll(',', ''));
    expect(left).toBeGreaterThan(40_000);
    await more.click();
    const then = `Show 20,000 of ${(left - 20_000).toLocaleString('en')} more characters`;
    await page.getByRole('button', { name: then }).first().waitFor();
  });

  it('keep a name that runs from right to left in its place', async () => {
    await open('agents');
    // Its digits stay with it: the next words, of the row or of a sentence, stand after them.
    const name = page.getByText(rightToLeft).first();
    await name.waitFor();
    await page.getByRole('link', { name: rightToLeft }).click();
    await page.getByRole('heading', { name: rightToLeft, level: 1 }).waitFor();
    expect(await page.title()).toBe(`\u2068${rightToLeft}\u2069 · Gatehouse`);
  });
});
