import 'react';

declare module 'react' {
  /** What our own style sheets read. */
  interface CSSProperties {
    [name: `--gh-${string}`]: string | number;
  }
}
