import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

export default function FullSelect(props: SelectProps): ReactNode {
  return <Select {...props} />;
}
