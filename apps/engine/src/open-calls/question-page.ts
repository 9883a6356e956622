import type { McpQuestion } from '#libs/contracts';
import type { OpenCall } from '../entities/open-call.entity.js';
import type { Given } from './question-answers.js';
import { type Field, fieldsOf } from './question-fields.js';

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${title}</title>
<style>body{font:18px/1.5 system-ui,sans-serif;max-width:36em;margin:8vh auto;padding:0 1em}
label,fieldset{display:block;margin:1em 0}input:not([type=checkbox]),select{font:inherit;width:100%;box-sizing:border-box}
button{font:inherit;padding:.5em 1em;margin-right:.5em}small{display:block}[role=alert]{border-left:4px solid;padding-left:.6em}</style>
<main><h1>${title}</h1>${content}</main></html>`;

export const closedPage = page(
  'Nothing to answer',
  '<p>This was answered already, is too old, or the link is not known. Nothing was changed.</p>',
);

export const thanksPage = (server: string): string =>
  page('Thank you', `<p>${html(server)} gets your answer. You can close this page.</p>`);

/** @param given what the contact has entered before @param problems what is wrong with it */
export function questionPage(
  open: Pick<OpenCall, 'server_name' | 'questions'>,
  given: Given,
  problems: string[],
): string {
  const server = html(open.server_name);
  const wrong = problems.map((each) => `<p role="alert">${html(each)}</p>`).join('');
  const parts = Object.values(open.questions ?? {}).map((question, at) => partOf(question, at, given));
  const warning = `<p>The service <strong>${server}</strong> asks you. Give it only what you want it to know: never a password.</p>`;
  const buttons = `<p>${button('accept', 'Send the answer')}${button('decline', 'Decline')}</p>`;
  const form = `<form method="post" enctype="text/plain">${parts.join('<hr>')}${buttons}</form>`;
  return page(`${server} asks`, `${warning}${wrong}${form}`);
}

function partOf(question: McpQuestion, at: number, given: Given): string {
  const message = `<p>${html(question.message).replaceAll('\n', '<br>')}</p>`;
  if (question.mode === 'form')
    return (
      message +
      fieldsOf(question, at)
        .map((field) => fieldOf(field, given))
        .join('')
    );
  const { host } = new URL(question.url);
  const url = html(question.url);
  return `${message}<p>It wants you to open a page of <strong>${html(host)}</strong>:<br>
<a href="${url}" target="_blank" rel="noopener noreferrer nofollow">${url}</a></p>
<p>Open it if you trust it, do what it asks, then send the answer.</p>`;
}

function fieldOf(field: Field, given: Given): string {
  const { input, label, about, kind, required, choices } = field;
  const entered = given.get(input) ?? field.before;
  const note = about === '' ? '' : `<small>${html(about)}</small>`;
  const mark = required ? ' *' : '';
  if (kind === 'some_of') {
    const boxes = choices.map(({ value, label: words }) => {
      const checked = entered.includes(value) ? ' checked' : '';
      return `<label><input type="checkbox" name="${input}" value="${html(value)}"${checked}> ${html(words)}</label>`;
    });
    return `<fieldset><legend>${html(label)}${mark}</legend>${note}${boxes.join('')}</fieldset>`;
  }
  const control =
    kind === 'yes_or_no'
      ? select(field, yesOrNo, entered)
      : kind === 'one_of'
        ? select(field, choices, entered)
        : box(field, entered);
  return `<label>${html(label)}${mark}${note}${control}</label>`;
}

const yesOrNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

function select({ input, required }: Field, choices: Field['choices'], entered: string[]): string {
  const options = choices.map(({ value, label }) => {
    const selected = entered.includes(value) ? ' selected' : '';
    return `<option value="${html(value)}"${selected}>${html(label)}</option>`;
  });
  return `<select name="${input}"${required ? ' required' : ''}><option value=""></option>${options.join('')}</select>`;
}

function box({ input, kind, required }: Field, [entered = '']: string[]): string {
  const type = kind === 'integer' ? 'number' : kind;
  const step = kind === 'number' ? ' step="any"' : '';
  return `<input type="${type}" name="${input}" value="${html(entered)}"${step}${required ? ' required' : ''} maxlength="10000">`;
}

/** To decline, nothing has to be filled in. */
const button = (action: string, words: string): string =>
  `<button name="action" value="${action}"${action === 'decline' ? ' formnovalidate' : ''}>${words}</button>`;

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
