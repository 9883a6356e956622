import 'react';

declare module 'react' {
  /** Custom properties of our own style sheets. */
  interface CSSProperties {
    [name: `--gh-${string}`]: string | number;
  }
}
