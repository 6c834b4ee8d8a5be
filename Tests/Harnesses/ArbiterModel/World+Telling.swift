import Coordination

extension World {
    func text(_ place: Place?) -> String {
        guard let place else { return "nothing" }
        return "/" + place.names.map { $0 % 2 == 1 ? "\($0).pkg" : "\($0)" }.joined(separator: "/")
    }

    func text(_ member: Member) -> String {
        let wishes = member.wishes.map { "\($0.use) \(text($0.place))" }.joined(separator: ", ")
        let owner = member.presenter.map { " for \($0.number)" } ?? ""
        let outer = member.outer.map { " in \($0.number)" } ?? ""
        let answering = member.answering.map { " answering \($0.number)" } ?? ""
        return "\(wishes) (\(member.purpose))\(owner)\(outer)\(answering)"
            + (member.isPreparation ? " preparing" : "")
    }

    var waitsText: String {
        let lines = arbiter.waits.sorted { $0.key.number < $1.key.number }.map { id, waits in
            let awaited = waits.map { wait in
                switch wait {
                case .access(let other): "\(other.number)"
                case .presenter(let presenter, let message): "\(presenter.number) \(message)"
                }
            }
            let who = member(id).map { text(members[$0]) } ?? "?"
            return "\(id.number) \(who) waits for \(awaited.joined(separator: ", "))"
        }
        return "\n" + lines.joined(separator: "\n")
    }
}
