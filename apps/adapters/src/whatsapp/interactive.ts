import { actionData, type JsonObject, type MessageAction } from '#libs/adapter-sdk';

/** Characters of a text with choices. Source: Cloud API, Interactive reply buttons. */
export const ACTIONS_MAX_TEXT = 1_024;

const MAX_BUTTONS = 3;
const BUTTON_CHARS = 20;
const ROW_CHARS = 24;

/** Choices as buttons; as a list where they are too many or too long for buttons. */
export function interactiveOf(text: string, actions: readonly MessageAction[]): JsonObject {
  const body = { text };
  if (actions.length <= MAX_BUTTONS && actions.every(({ label }) => label.length <= BUTTON_CHARS)) {
    const buttons = actions.map((action) => ({
      type: 'reply',
      reply: { id: actionData(action), title: action.label },
    }));
    return { type: 'button', body, action: { buttons } };
  }
  const rows = actions.map((action) => ({
    id: actionData(action),
    title: cut(action.label),
    ...(action.label.length > ROW_CHARS && { description: action.label }),
  }));
  return { type: 'list', body, action: { button: '▾', sections: [{ rows }] } };
}

function cut(label: string): string {
  return label.length <= ROW_CHARS ? label : `${label.slice(0, ROW_CHARS - 1).toWellFormed()}…`;
}
