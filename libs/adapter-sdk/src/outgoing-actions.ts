import { isJsonObject } from './json-value.js';

/** A choice that a message offers. */
export interface MessageAction {
  /** 1 to 15 letters, digits, `_` and `-`, unique in its message. */
  id: string;
  /** What the reader sees, at most 40 characters. */
  label: string;
  style?: ActionStyle;
  /** Comes back with the press, at most 48 bytes: id and value together fit into the 64 bytes that Telegram keeps. */
  value: string;
}

const styles = ['default', 'primary', 'danger'] as const;
export type ActionStyle = (typeof styles)[number];

/** Most choices of one message: more do not fit where a provider shows them in one row. */
export const MAX_ACTIONS = 5;

const idPattern = /^[A-Za-z0-9_-]{1,15}$/;
const maxLabelChars = 40;
const maxValueBytes = 48;

/** The actions of a message to deliver; or what is wrong with them, in words. */
export function readActions(given: unknown): MessageAction[] | string {
  if (!Array.isArray(given) || given.length > MAX_ACTIONS) return `must be a list of at most ${MAX_ACTIONS} actions`;
  const actions: MessageAction[] = [];
  for (const [index, action] of given.entries()) {
    const { id, label, value, style = 'default' }: Record<string, unknown> = isJsonObject(action) ? action : {};
    if (typeof id !== 'string' || !idPattern.test(id) || actions.some((known) => known.id === id)) {
      return `[${index}].id must be 1 to 15 letters, digits, _ and -, another one for each`;
    }
    if (typeof label !== 'string' || label.trim() === '' || label.length > maxLabelChars) {
      return `[${index}].label must be a text of 1 to ${maxLabelChars} characters`;
    }
    if (typeof value !== 'string' || Buffer.byteLength(value) > maxValueBytes) {
      return `[${index}].value must be a text of at most ${maxValueBytes} bytes`;
    }
    const known = styles.find((each) => each === style);
    if (!known) return `[${index}].style must be one of ${styles.join(', ')}`;
    actions.push({ id, label, value, ...(known !== 'default' && { style: known }) });
  }
  return actions;
}

/** An action as the one text that a provider keeps with a button. */
export function actionData({ id, value }: Pick<MessageAction, 'id' | 'value'>): string {
  return `${id}:${value}`;
}

/** The action of a button's text. A button of somebody else's has no colon: its text is both. */
export function readActionData(data: string): { id: string; value: string } {
  const at = data.indexOf(':');
  return at < 0 ? { id: data, value: data } : { id: data.slice(0, at), value: data.slice(at + 1) };
}
