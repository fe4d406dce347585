fn main() -> std::process::ExitCode {
    codriver::cli::run()
}
