import { type Feature, type Manifest, offersFeature } from '#libs/adapter-sdk';
import type { OutboundAction, OutboundContent } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';

export interface FittedContent {
  content: OutboundContent;
  /** What the adapter cannot show; its fallback is in the content. */
  leftOut: Feature[];
}

/**
 * Reduces a message to what its adapter can show. An edit becomes a new message, choices become numbered words, and a
 * reaction beside a text is left out.
 * @param firstNumber of its choices, where they are words
 * @throws PermanentFailure `unsupported` when nothing remains
 */
export function fittedContent(given: OutboundContent, manifest: Manifest, firstNumber: number): FittedContent {
  const { edit_of, actions = [], actions_for: _for, reaction, ...content }: OutboundContent = given;
  const lacks = (feature: Feature): boolean => !offersFeature(manifest, feature);
  const isReduced: [Feature, boolean][] = [
    ['edit', edit_of !== undefined && lacks('edit')],
    ['actions', actions.length > 0 && lacks('actions')],
    ['reactions', reaction !== undefined && lacks('reactions')],
  ];
  const leftOut = isReduced.flatMap(([feature, isSo]) => (isSo ? [feature] : []));
  const isEmpty = content.text.trim() === '' && (content.attachments ?? []).length === 0;
  if (isEmpty && leftOut.includes('reactions')) {
    throw new PermanentFailure('unsupported', `${manifest.name} cannot react to messages, and there is no text`);
  }
  const inWords = leftOut.includes('actions');
  return {
    leftOut,
    content: {
      ...content,
      text: inWords ? `${content.text}\n\n${numbered(actions, firstNumber)}` : content.text,
      ...(edit_of !== undefined && !leftOut.includes('edit') && { edit_of }),
      ...(actions.length > 0 && !inWords && { actions }),
      ...(reaction !== undefined && !leftOut.includes('reactions') && { reaction }),
    },
  };
}

function numbered(actions: readonly OutboundAction[], first: number): string {
  const lines = actions.map(({ label }, index) => `${first + index}. ${label}`);
  return ['Answer with a number:', '', ...lines].join('\n');
}

/**
 * The fields of `/deliver` for what a message has beyond its text. Of several parts the first one is the edit, and the
 * last one has choices and reaction.
 */
export function featureFields(
  { edit_of, actions, reaction }: OutboundContent,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Record<string, unknown> {
  return {
    ...(isFirst && edit_of !== undefined && { edit_of }),
    ...(isLast && actions !== undefined && { actions }),
    ...(isLast && reaction !== undefined && { reaction_to: reaction.to, reaction: reaction.emoji }),
  };
}
