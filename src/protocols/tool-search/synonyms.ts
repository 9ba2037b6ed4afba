// Words that tools and their users exchange freely. Only words of the trade: what a program does to its objects, what the objects of
// software are called, and their usual short forms. Each line is one meaning; the first word is its key.

import { stem } from './stem.ts'

const lines = `
create add insert make
delete remove drop erase clear
update edit modify change alter
get fetch retrieve obtain
find search query lookup locate
list enumerate
send deliver
buy purchase
book reserve reservation booking
calculate compute calculation
convert transform translate conversion
start begin launch
stop end halt terminate
open launch
copy duplicate clone
move rename
show display view
run execute exec
check verify validate
cost price pricing fee
image picture photo
film movie
directory dir folder
repository repo
database db
document doc
message msg
configuration config setting
environment env
error exception failure
issue bug ticket
pull merge
weather forecast
phone telephone
email mail
car vehicle
doctor physician
temperature temp
maximum max
minimum min
average mean
identifier id
information info
user member
meeting appointment event
job task
`

const groups = lines.trim().split('\n')

/** The stem of each word → the stem of its meaning's first word. */
export const meanings: ReadonlyMap<string, string> = new Map(
  groups.flatMap((line) => {
    const [key = '', ...others] = line.split(' ').map(stem)
    return others.map((other): [string, string] => [other, key])
  }),
)
