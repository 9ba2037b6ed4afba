// Makes the programs that the tests use available (debian.mjs). `npm test` runs this beside the build.
import { provideAll } from './debian.mjs'

provideAll()
