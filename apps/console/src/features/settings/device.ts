import { settingsTexts } from '../../texts/settings.js';

/** Each before those that also claim to be it. */
const browsers: [string, RegExp][] = [
  ['Edge', /\bEdg\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(Headless)?Chrome\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
];
const systems: [string, RegExp][] = [
  ['iOS', /\biP(hone|ad)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** `Firefox on Linux`, as far as a User-Agent tells. */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return settingsTexts.sessions.unknownDevice;
  const [browser, system] = [browsers, systems].map((known) => known.find(([, mark]) => mark.test(userAgent))?.[0]);
  if (!browser) return userAgent;
  return system ? settingsTexts.sessions.device(browser, system) : browser;
}
