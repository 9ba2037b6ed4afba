// What people say, and what the tools for it are called: who asks for a taxi wants a ride. A word of a question is a hint at its topics;
// it stays a word itself, for tools that use it too. Each line: the words of tools, and the words of everyday life that hint at them.

import { keyOf } from './words.ts'

const lines = `
weather: rain rainy snow snowy sunny cloudy storm umbrella sunshine climate
music: song album singer band tune melody listen playlist lyrics musician
play: listen hear
movie: cinema actor actress star starring directed watch comedy thriller cartoon fiction
video: youtube clip
restaurant food: eat dinner lunch breakfast cuisine meal hungry cafe dine pizza burger sandwich salad sushi
food order: pizza burger sandwich coffee drink
recipe: cook bake ingredient dish
nutrition: calorie protein carbs vitamin
hotel: stay accommodation lodging motel room
house: home apartment accommodation
flight: fly airline airport plane
ride cab: taxi uber lyft
train: railway rail station
route: direction navigate
attraction: museum sightseeing tourist landmark
event: festival broadway theater exhibition party drama
calendar event: session agenda birthday
todo reminder task: remember remind forget
alarm: wake
doctor: dentist clinic
therapist: psychologist psychiatrist counselor
lawyer: attorney solicitor
service provider: cleaner housekeeper plumber electrician
person: individual someone
currency: dollar euro yen yuan rupee franc peso ruble krona usd eur jpy gbp cny inr chf cad aud
unit convert: ounce gram kilogram pound liter gallon cup tablespoon teaspoon inch foot feet yard mile kilometer meter centimeter
language translate: english french german spanish italian portuguese chinese japanese korean russian arabic hindi dutch
stock: share ticker nasdaq dividend
cryptocurrency: bitcoin ethereum crypto
payment: pay
invoice: bill
coupon discount: voucher promo coupon discount
refund: reimburse
loan: mortgage
product: shoes shirt dress shop
history event: war battle treaty empire century revolution ancient medieval
monarch history: king queen emperor
religion: christianity buddhism islam hinduism judaism church
sport: football basketball soccer tennis baseball hockey league
news: headline article newspaper
advice: guidance tip suggestion recommendation
probability: odds chance likelihood
sort: arrange ascending descending smallest largest
concatenate: combine join
sum add: plus
subtract: minus
email: inbox mailbox
message: sms
device: lamp light thermostat
command execute: terminal shell cmd bash powershell exe docker
container pod: docker kubernetes container
repository: git
pull request: pr
merge request: mr
workflow pipeline: ci build
diff: compare difference
deploy: rollout
security alert: vulnerability cve
secret: credential
error: crash stacktrace
metric: monitoring prometheus promql
scale: replica
sprint: iteration
worklog: hours timesheet
reaction: emoji react
database table: sql postgres mysql sqlite
chart: graph plot
language model: llm gpt
`

/** The key of an everyday word → the keys of its topics. */
export const topics: ReadonlyMap<string, readonly string[]> = readLines()

function readLines(): Map<string, string[]> {
  const read = new Map<string, string[]>()
  for (const line of lines.trim().split('\n')) {
    const [topic = '', everyday = ''] = line.split(': ').map((words) => words.split(' ').map(keyOf))
    for (const word of everyday) read.set(word, [...(read.get(word) ?? []), ...topic])
  }
  return read
}
