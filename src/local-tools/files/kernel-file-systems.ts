// Kernel file systems, wherever they are mounted: /proc/self/environ is the gateway's own environment. Numbers from statfs(2).

import { statfsSync } from 'node:fs'
import { type Held, throughDescriptor } from './held.ts'

const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0xcafe4a11, // bpf
  0x62656570, // configfs
  0xde5e81e4, // efivarfs
  0x1cd1, // devpts
  0xf97cff8c, // selinuxfs
  0x43415d53, // smackfs
  0x6165676c, // pstore
  0x42494e4d, // binfmt_misc
])

export const isOfKernel = (held: Held) =>
  kernelFileSystems.has(statfsSync(throughDescriptor(held.descriptor)).type >>> 0)
