import { Highlight } from '@mantine/core';
import type { ReactNode } from 'react';

const shortest = 4;

/** A text in which the words that were looked for stand out. */
export function Marked({ text, words }: { text: string; words: string }): ReactNode {
  const wanted = words.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= shortest);
  return (
    <Highlight
      component="span"
      inherit
      highlight={wanted}
      highlightStyles={{
        backgroundColor: 'light-dark(#fff0b8, #5a4a12)',
        color: 'inherit',
        borderRadius: 2,
      }}
    >
      {text}
    </Highlight>
  );
}
